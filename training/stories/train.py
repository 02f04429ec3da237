"""Trains the story model. Takes up the run in --folder if there is one. Runs alone or under torchrun."""

import argparse
from pathlib import Path

import torch

from training.common.commands import Formatter, finish
from training.common.documents import read_documents, to_row
from training.common.llama import Llama, LlamaConfig, parameter_count
from training.common.llama2c import read_model, read_tokenizer
from training.common.loop import Settings, fit
from training.common.processes import join_processes
from training.stories import places

SMOKE = {  # what --smoke sets, whatever else is asked for
    "epochs": 6,
    "batch_tokens": 512,
    "dim": 32,
    "hidden_dim": 64,
    "n_layers": 2,
    "n_heads": 2,
    "context": 64,
    "warmup_steps": 5,
    "learning_rate": 5e-3,
    "validate_every": 10,
    "compile": False,
}
SMOKE_STORIES = 100


def run(options: argparse.Namespace) -> None:
    torch.set_num_threads(options.threads)
    if options.smoke:
        vars(options).update(SMOKE, folder=options.folder / "smoke")
        (options.folder / "last.pt").unlink(missing_ok=True)
    vocabulary = read_tokenizer(options.tokenizer)
    config = LlamaConfig(
        dim=options.dim,
        hidden_dim=options.hidden_dim,
        n_layers=options.n_layers,
        n_heads=options.n_heads,
        n_kv_heads=options.n_heads,
        vocab_size=len(vocabulary),
        context=options.context,
    )
    limit = SMOKE_STORIES if options.smoke else None
    train_rows = [to_row(vocabulary, text, config.context) for text in read_documents(options.text)[:limit]]
    valid_texts = read_documents(options.valid)[: SMOKE_STORIES if options.smoke else options.valid_stories]
    valid_rows = [to_row(vocabulary, text, config.context) for text in valid_texts]
    settings = Settings(**{name: getattr(options, name) for name in Settings.__dataclass_fields__})
    torch.manual_seed(options.seed)
    model = Llama(config, options.dropout)
    if options.start_from is not None:
        start = read_model(options.start_from)
        if start.config != config:
            raise ValueError(f"{options.start_from} has the shape {start.config}, asked for is {config}")
        model.load_state_dict(start.state_dict())
    with join_processes(options.device) as processes:
        if processes.first:
            tokens = sum(len(row) - 1 for row in train_rows)
            print(f"{parameter_count(model)} parameters, {len(train_rows)} stories, {tokens} tokens an epoch")
        best = fit(model, train_rows, valid_rows, settings, options.folder, processes)
        if processes.first:
            print(f"{options.folder}: best validation loss {best:.4f} nats a token")


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m training.stories.train", description=__doc__, formatter_class=Formatter
    )
    files = result.add_argument_group("files")
    files.add_argument("--text", type=Path, default=places.TRAIN_TEXT, help="stories to train on")
    files.add_argument("--valid", type=Path, default=places.VALID_TEXT, help="stories to validate on")
    files.add_argument("--tokenizer", type=Path, default=places.TOKENIZER, help="tokenizer.bin")
    files.add_argument("--folder", type=Path, default=places.FOLDER, help="checkpoints and log")
    files.add_argument("--start-from", type=Path, help="llama2.c file whose weights a new run begins with")
    shape = result.add_argument_group("shape")
    shape.add_argument("--dim", type=int, default=192)
    shape.add_argument("--hidden-dim", type=int, default=448)
    shape.add_argument("--n-layers", type=int, default=4)
    shape.add_argument("--n-heads", type=int, default=6)
    shape.add_argument(
        "--context", type=int, default=512, help="longest text in tokens; longer stories are cut"
    )
    recipe = result.add_argument_group("recipe")
    recipe.add_argument("--epochs", type=int, default=16)
    recipe.add_argument(
        "--minutes", type=float, default=0, help="end the schedule after this time; 0: by epochs"
    )
    recipe.add_argument("--batch-tokens", type=int, default=4096, help="tokens a step, padding included")
    recipe.add_argument("--learning-rate", type=float, default=2e-3, help="peak")
    recipe.add_argument(
        "--final-learning-rate", type=float, default=0.02, help="at the end, as a share of the peak"
    )
    recipe.add_argument("--warmup-steps", type=int, default=200)
    recipe.add_argument("--weight-decay", type=float, default=0.1)
    recipe.add_argument("--dropout", type=float, default=0.1)
    recipe.add_argument("--clip", type=float, default=1.0, help="largest norm of the gradient")
    recipe.add_argument("--optimizer", choices=["adamw", "muon"], default="muon")
    recipe.add_argument("--seed", type=int, default=1)
    recipe.add_argument(
        "--validate-every", type=int, default=250, help="steps between validations and checkpoints"
    )
    recipe.add_argument("--valid-stories", type=int, default=400, help="how many stories a validation reads")
    machine = result.add_argument_group("machine")
    machine.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    machine.add_argument("--threads", type=int, default=1, help="CPU threads a process")
    machine.add_argument(
        "--compile", action=argparse.BooleanOptionalAction, default=True, help="needs a C++ compiler"
    )
    machine.add_argument(
        "--bf16", action=argparse.BooleanOptionalAction, default=True, help="bf16 matrix products"
    )
    result.add_argument("--smoke", action="store_true", help="a tiny model on a few stories, in seconds")
    return result


if __name__ == "__main__":
    finish(run, parser())
