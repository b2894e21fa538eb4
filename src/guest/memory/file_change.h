/* file_change.h -- code in private mappings of files that the program changes. */
#ifndef SOFTPMU_GUEST_FILE_CHANGE_H
#define SOFTPMU_GUEST_FILE_CHANGE_H

struct gst;

/* Returns 1 if the program can write to the file by descriptor fd; 0 also if fd is not open. */
int gst_file_is_soft(int fd);

/* The file of descriptor fd has become shorter, perhaps: the translations of its private
 * mappings go. */
void gst_file_has_changed(struct gst *g, int fd);

#endif
