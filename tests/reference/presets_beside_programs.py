#!/usr/bin/env python3
"""Compares presets of specsort with the Python packages that the programs call, where these are installed.

  presets_beside_programs.py FILE.mgf...     a table: preset, file, spectra, spectra with equal peaks

spectrum_utils filters for Casanovo and for InstaNovo before 1.2; matchms (0.24 or 0.25) for itself. pyteomics reads the files.
Ends with status 1 if a spectrum differs.
"""
import subprocess
import sys
import tempfile

import numpy as np
from pyteomics import mgf

try:
    import spectrum_utils.spectrum as spectrum_utils
except ImportError:
    spectrum_utils = None
try:
    import matchms
    import matchms.filtering
except ImportError:
    matchms = None


def for_sequencing(roots_first, max_peaks, min_peaks):
    def peaks_of(one):
        charge = int(one['params'].get('charge', [0])[0])
        if charge < 1:
            return None  # the programs skip it
        made = spectrum_utils.MsmsSpectrum('', one['params']['pepmass'][0], charge, one['m/z array'].astype(np.float64),
                                           one['intensity array'].astype(np.float32))
        made.set_mz_range(50.0, 2500.0)
        if len(made.mz):
            made.remove_precursor_peak(2.0, 'Da')
        if len(made.mz) == 0:
            return np.empty(0)
        if roots_first:
            made.scale_intensity('root', 1)
        made.filter_intensity(0.01, max_peaks)
        return made.mz if len(made.mz) >= min_peaks else np.empty(0)
    return peaks_of


def by_matchms(one):
    order = np.argsort(one['m/z array'], kind='stable')
    arrays = [one[key][order].astype(float) for key in ('m/z array', 'intensity array')]
    made = matchms.Spectrum(*arrays, {'precursor_mz': 1.0})  # which these steps do not use, but miss
    made = matchms.filtering.normalize_intensities(made)
    made = matchms.filtering.select_by_mz(made, 0, 1000)
    made = matchms.filtering.select_by_relative_intensity(made, 0.001)
    return matchms.filtering.reduce_to_number_of_peaks(made, n_max=1000).peaks.mz


def filtered(path, preset):
    """The m/z of the spectra that specsort leaves, by title."""
    done = subprocess.run(['specsort', path, '--quiet', '--to=mgf', '--preset', preset], stdout=subprocess.PIPE, check=True)
    with tempfile.NamedTemporaryFile(suffix='.mgf') as file:
        file.write(done.stdout)
        file.flush()
        return {one['params']['title']: one['m/z array'] for one in mgf.read(file.name, use_index=False)}


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        sys.exit(__doc__)
    presets = {}
    if spectrum_utils:
        presets |= {'casanovo@5.0': for_sequencing(True, 150, 20), 'casanovo@4.3': for_sequencing(False, 150, 0),
                    'instanovo@1.1': for_sequencing(False, 200, 0)}
    if matchms:
        presets |= {'matchms@0.25': by_matchms}
    if not presets:
        sys.exit('neither spectrum_utils nor matchms is installed')
    different = 0
    print(f'{"preset":<16}{"spectra":>10}{"equal":>10}  file')
    for preset, peaks_of in presets.items():
        for path in sys.argv[1:]:
            found, spectra, equal = filtered(path, preset), 0, 0
            for one in mgf.read(path, use_index=False):
                wanted = peaks_of(one)
                if wanted is None:
                    continue
                spectra += 1
                equal += np.array_equal(wanted, found.get(one['params']['title'], np.empty(0)))
            print(f'{preset:<16}{spectra:>10,}{equal:>10,}  {path}')
            different += spectra - equal
    sys.exit(1 if different else 0)


if __name__ == '__main__':
    main()
