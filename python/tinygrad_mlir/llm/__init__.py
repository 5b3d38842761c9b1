"""Language models of GGUF files: model, tokenizer, sampling, and the weights of models."""
