export type HealthState = 'starting' | 'ok' | 'failing';

export interface Readiness {
  ready: boolean;
  /** Every reason why not, as sentences. */
  reasons: string[];
}

/**
 * The state that each part of the process reports. A process that answers is alive; it is ready only when every part is
 * ok.
 */
export class Health {
  private readonly parts = new Map<string, { state: HealthState; reason: string }>();
  private readonly told = new Map<string, () => unknown>();

  set(part: string, state: HealthState, reason = ''): void {
    this.parts.set(part, { state, reason });
  }

  remove(part: string): void {
    this.parts.delete(part);
  }

  /** What a process says of itself besides: read at each look, whatever the state of its parts. */
  tell(name: string, read: () => unknown): void {
    this.told.set(name, read);
  }

  words(): Record<string, unknown> {
    return Object.fromEntries([...this.told].map(([name, read]) => [name, read()]));
  }

  readiness(): Readiness {
    const reasons = [...this.parts]
      .filter(([, { state }]) => state !== 'ok')
      .map(
        ([part, { state, reason }]) =>
          `${part}: ${reason === '' ? (state === 'starting' ? 'starting' : 'failing') : reason}`,
      );
    return { ready: reasons.length === 0, reasons };
  }
}
