"""The files of the default story model, shared by its commands."""

from training.common.places import BUILD, PROJECT, text_file

NAME = "stories-2M"
FOLDER = BUILD / NAME
MODEL_FOLDER = PROJECT / "models" / NAME
TOKENIZER = MODEL_FOLDER / "tokenizer.bin"
TRAIN_TEXT = text_file("tinystories_train.txt")
VALID_TEXT = text_file("tinystories_valid.txt")
