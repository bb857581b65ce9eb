import { requiredWord } from './query-field.js';

/** A file named in a path. */
export class MediaPath {
  @requiredWord('name', 'Name of the picture, as a row or a redirect gives it.', 4_096, {
    examples: ['placeholder-9f86d081884c7d65.png'],
  })
  name!: string;
}
