"""An array library whose second device refuses to be read by the processor, and counts what is copied from it."""

from contextlib import contextmanager

import array_api_strict as strict
from array_api_strict._array_object import Array

DEVICE, HOME = strict.Device("device1"), strict.Device("CPU_DEVICE")
CUDA, CPU = 2, 1


def there(values):
    """Return an array on the device."""
    return strict.asarray(values, device=DEVICE)


@contextmanager
def no_reading(monkeypatch):
    """Refuse to share memory of the device, and list the sizes of the arrays that are copied from it."""
    copied = []
    to_device, dlpack = Array.to_device, Array.__dlpack__

    def noted(self, device, **options):
        if self.device == DEVICE and device == HOME:
            copied.append(self.size)
        return to_device(self, device, **options)

    def refused(self, **options):
        if self.device == DEVICE:
            raise BufferError("this memory is the device's")
        return dlpack(self, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Array, "__dlpack_device__", lambda self: (CUDA if self.device == DEVICE else CPU, 0))
        patch.setattr(Array, "to_device", noted)
        patch.setattr(Array, "__dlpack__", refused)
        yield copied
