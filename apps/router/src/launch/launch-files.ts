/** A picture for demonstrations, next to the metadata files. */
export const SAMPLE_IMAGE = 'sample.png';
