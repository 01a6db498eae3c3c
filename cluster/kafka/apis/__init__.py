"""Every API that is served, one file for each or for a few that belong together: layout, exchange, number, versions."""

from importlib import import_module
from pkgutil import iter_modules

from cluster.kafka.api import APIS

for _found in iter_modules(__path__):
    import_module(f"{__name__}.{_found.name}")
__all__ = ["APIS"]
