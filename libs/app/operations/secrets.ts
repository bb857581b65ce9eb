import type { Operations } from '#libs/platform/admin-protocol.js';
import { readSecrets, rotateSecrets, type SecretBook } from '#libs/serve/accounts/secret-book.js';
import type { OperationDeps } from './operation-deps.js';

/** `secrets …`: the answers name them and never show them. */
export function secretOperations({ log }: OperationDeps): Operations {
  const shown = (book: SecretBook, now: number) => ({
    secrets: book.states(now).map(({ record: { id, createdAt }, state }) => ({ id, createdAt, state })),
  });
  return {
    'secrets.ls': async () => shown(await readSecrets(log), Date.now()),
    'secrets.rotate': async () => {
      const now = Date.now();
      return shown(await rotateSecrets(log, now), now);
    },
  };
}
