"""NWChem: the Hartree-Fock energy of a water molecule.

It also uses point-to-point and one-sided calls, which stay native, so that it is run undisturbed only.
ARMCI_USE_WIN_ALLOCATE=0 works around an error of MPICH 4.0.2 that NWChem runs into without ftcoll too
(wrong energies with more than one rank: nwchemgit/nwchem issue 633, pmodels/mpich issue 6110).
"""
import os
import re

from job import Job, describe, fresh, need, rerouted

PROGRAM = "nwchem.mpich"
RANKS = 2
INPUT = """start water
geometry units angstrom noautosym
  O 0.0  0.0     0.1173
  H 0.0  0.7572 -0.4692
  H 0.0 -0.7572 -0.4692
end
basis
  * library 6-31g*
end
task scf energy
"""
TOLERANCE = 1e-8  # hartree: two thousand sums of doubles may be added up in another order


def job(apps, name, preload):
    folder = fresh(apps.folder, "nwchem", name)
    with open(os.path.join(folder, "water.nw"), "w") as f:
        f.write(INPUT)
    environment = {**apps.settings(), "ARMCI_USE_WIN_ALLOCATE": "0"}
    return Job(folder, RANKS, [PROGRAM, "water.nw"], preload, environment, limit_s=apps.limit(60)).must_end_well()


def energies(job):
    found = re.findall(r"(Total SCF|One-electron|Two-electron|Nuclear repulsion) energy = +(-?[\d.]+)", job.log())
    need(len(found) == 4, f"no energies: {job.path}")
    return {name: float(value) for name, value in found}


def run(apps):
    native = job(apps, "native", [])
    ours = job(apps, "ftcoll", [apps.library])
    a, b = energies(native), energies(ours)
    off = max(abs(a[name] - b[name]) for name in a)
    need(off <= TOLERANCE, f"energies differ by {off} hartree: {native.path}, {ours.path}")
    need(rerouted(ours.report()) > 1000, f"hardly any call was rerouted: {ours.path}")
    total = f"{b['Total SCF']:.9f} hartree"
    apps.row("native", native, total)
    apps.row("ftcoll", ours, f"{total}; all 4 energies within {off:.0e}")
    apps.say(f"rerouted at rank 0: {describe(ours.report())}")
