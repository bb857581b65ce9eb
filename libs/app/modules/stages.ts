import type { BeforeApplicationShutdown } from '@nestjs/common';
import type { Runtime } from '#libs/platform/runtime.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';

/**
 * The stages that run in this process. A module starts its own in `onApplicationBootstrap`; at the end of the application
 * each flow is ended in its order, so that a stage has ended before the one that it feeds is asked to. Flows do not wait
 * for one another.
 */
export class Stages implements BeforeApplicationShutdown {
  private readonly flows: (readonly SupervisedStage[])[] = [];
  private ending = false;

  constructor(private readonly runtime: Runtime) {}

  /** Starts stages that feed one another, given in the order of the flow. */
  start(...flow: readonly SupervisedStage[]): void {
    // The node of a local chain may come when the application is at its end.
    if (this.ending) return;
    this.flows.push(flow);
    for (const stage of flow) this.runtime.startStage(stage);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.ending = true;
    await Promise.all(
      this.flows.map(async (flow) => {
        for (const { name } of flow) await this.runtime.supervisor.end(name);
      }),
    );
  }
}
