"""The default story model: tokenizer, training, export and evaluation."""
