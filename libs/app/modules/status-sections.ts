import type { Runtime } from '#libs/platform/runtime.js';

/** The status that operators read: what every process says of itself, and a section of each part that has one. */
export class StatusSections {
  private readonly sections = new Map<string, () => unknown>();

  constructor(private readonly runtime: Runtime) {}

  add(name: string, read: () => unknown): void {
    this.sections.set(name, read);
  }

  read(): Record<string, unknown> {
    const own = [...this.sections].map(([name, read]) => [name, read()] as const);
    return { ...this.runtime.status(), ...Object.fromEntries(own) };
  }
}
