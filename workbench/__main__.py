"""`python -m workbench` is the console command."""

from __future__ import annotations

from kraft_workbench import main

if __name__ == "__main__":
    main()
