"""Whether this process is about to stop: long answers (streams, waits) look here and end themselves."""

from __future__ import annotations

import threading
from typing import Final

STOPPING: Final = threading.Event()
