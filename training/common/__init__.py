"""What every training command shares: model, tokenizer, data, file formats, checkpoints, processes."""
