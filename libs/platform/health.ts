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

  set(part: string, state: HealthState, reason = ''): void {
    this.parts.set(part, { state, reason });
  }

  remove(part: string): void {
    this.parts.delete(part);
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
