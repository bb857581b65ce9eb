import { Answer, etagOf } from './answer.js';

/** The answer with a document that is made when it is first asked for, and once: no start waits for it. */
export function yamlDocument(make: () => string): () => Answer {
  let made: Answer | null = null;
  return () => {
    if (made === null) {
      const text = Buffer.from(make(), 'utf8');
      made = new Answer(text, 'application/yaml; charset=utf-8', etagOf(text));
    }
    return made;
  };
}
