"""Between Kafka's protocol and the core: what a client's request asks of the core, and what the client is answered.

Kafka asks for many partitions in one request, the core for one. An exchange turns one request into many, takes the
answers in any order, and makes one response. Like the core it is told things and answers; it never waits by itself.
"""
