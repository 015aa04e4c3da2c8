"""The shapes of requests and answers. Requests are read by them; answers are only described and tested by them."""
