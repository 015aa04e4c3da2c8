"""The computer player: information-set Monte-Carlo tree search in compiled kernels; `ai.policy` is its front door."""
