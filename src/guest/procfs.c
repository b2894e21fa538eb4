#include "guest/procfs.h"

void gst_proc_start(struct gst *g)
{
}
