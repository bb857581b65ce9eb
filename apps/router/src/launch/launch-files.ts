/** What the router serves to all for its launches: metadata files, and a picture for demonstrations. */
export const FILES = '/launch/files';
export const SAMPLE_IMAGE = 'sample.png';
