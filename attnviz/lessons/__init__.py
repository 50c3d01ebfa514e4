"""What is taught with: examples, sentences, a small lexicon, and numbers as people type them."""
