"""Classroom 50 runs this in each student's checkout, where submission.json lies."""

import subprocess
import sys

subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "kraft-workbench==0.1.0"], check=True)
done = subprocess.run(
    [sys.executable, "-m", "workbench", "grade", "submission.json", "--form", "classroom50"], check=False
)
sys.exit(0 if done.returncode <= 1 else done.returncode)  # 1 only says that somebody should look at it
