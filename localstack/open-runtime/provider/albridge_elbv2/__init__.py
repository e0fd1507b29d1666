"""Elastic Load Balancing v2 for LocalStack's open runtime."""
