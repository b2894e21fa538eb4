/* version.h -- the version that --version, reports and files name. */
#ifndef SOFTPMU_BASE_VERSION_H
#define SOFTPMU_BASE_VERSION_H

#define SPMU_VERSION "0.1.0"

#endif
