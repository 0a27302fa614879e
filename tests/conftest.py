"""What all tests share."""

from hypothesis import settings

# A test that writes files or shares its processor with others has no steady duration.
settings.register_profile("thresher", deadline=None)
settings.load_profile("thresher")
