/** As the program is started. */
export const YOUNG_SPACE = '--max-semi-space-size=32';
