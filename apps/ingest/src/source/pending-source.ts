import type { SourceStage, SourceStatus } from './source-status.js';
import { SourceStatusBoard } from './status-board.js';

/** The source of a chain whose nodes may be known only later: a local chain is made first. It is made once they are. */
export class PendingSource implements SourceStage {
  private source: SourceStage | null = null;
  private readonly before: SourceStatus;

  constructor(
    chain: string,
    private readonly create: () => Promise<SourceStage>,
  ) {
    this.before = new SourceStatusBoard(chain).status();
  }

  status(): SourceStatus {
    return this.source?.status() ?? this.before;
  }

  async run(signal: AbortSignal): Promise<void> {
    this.source ??= await this.create();
    await this.source.run(signal);
  }

  async standBy(signal: AbortSignal): Promise<void> {
    this.source ??= await this.create();
    await this.source.standBy?.(signal);
  }
}
