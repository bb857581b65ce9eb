import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import type { RpcLog } from '#libs/devkit/chain-builder/rpc-shapes.js';
import type { ServedBlock } from '#libs/devkit/chain-builder/served-chain.js';
import type { FaultSettings } from './fault-settings.js';

/** Decides, block by block, how the node falsifies logs and headers. Without such faults texts stay untouched. */
export class ResponseTampering {
  constructor(
    private readonly faults: FaultSettings,
    private readonly random: SeededRandom,
    private readonly count: (fault: string) => void,
  ) {}

  /** Log texts of the chosen indices, falsified where the faults say so. */
  logs(block: ServedBlock, indices: readonly number[]): string[] {
    const texts = indices.map((index) => block.logJson(index));
    if (!this.changesLogs || block.logKeys.length === 0) return texts;
    const random = this.randomFor(block);
    // The victim is chosen among all logs of the block, so that every method hits the same one.
    const victim = random.int(block.logKeys.length);
    const at = indices.indexOf(victim);
    if (random.chance(this.faults.emptyLogsRate)) {
      this.count('emptyLogs');
      return [];
    }
    const drops = random.chance(this.faults.dropLogRate);
    const alters = random.chance(this.faults.alterLogRate);
    const doubles = random.chance(this.faults.duplicateLogRate);
    if (at < 0) return texts;
    if (drops) {
      this.count('dropLog');
      texts.splice(at, 1);
    } else if (alters) {
      this.count('alterLog');
      texts[at] = alter(texts[at] as string);
    } else if (doubles) {
      this.count('duplicateLog');
      texts.splice(at, 0, texts[at] as string);
    }
    return texts;
  }

  receipt(block: ServedBlock, index: number): string {
    const text = this.typed(block.receiptJson(index), index);
    if (!this.changesLogs) return text;
    const [first, end] = block.receiptLogs(index);
    const indices = Array.from({ length: end - first }, (_, i) => first + i);
    const logs = this.logs(block, indices).map((log) => JSON.parse(log) as RpcLog);
    return JSON.stringify({ ...(JSON.parse(text) as object), logs });
  }

  private typed(text: string, index: number): string {
    const { receiptType } = this.faults;
    if (receiptType === null || index > 0) return text;
    this.count('receiptType');
    return JSON.stringify({ ...(JSON.parse(text) as object), type: receiptType });
  }

  header(block: ServedBlock, text: string): string {
    if (!(this.faults.wrongBloomRate > 0) || !this.randomFor(block).chance(this.faults.wrongBloomRate)) return text;
    this.count('wrongBloom');
    return text.replace(/"logsBloom":"0x(.)/, (_match, digit: string) => `"logsBloom":"0x${digit === 'f' ? '0' : 'f'}`);
  }

  get changesLogs(): boolean {
    const { dropLogRate, emptyLogsRate, alterLogRate, duplicateLogRate } = this.faults;
    return dropLogRate + emptyLogsRate + alterLogRate + duplicateLogRate > 0;
  }

  private randomFor(block: ServedBlock): SeededRandom {
    if (!this.faults.consistentTampering) return this.random;
    return new SeededRandom(this.faults.seed ^ Number.parseInt(block.hash.slice(2, 10), 16));
  }
}

/** Changes the last digit of the data, or of the last topic when there is no data. */
function alter(text: string): string {
  const log = JSON.parse(text) as RpcLog;
  const change = (hex: string) => hex.slice(0, -1) + (hex.endsWith('1') ? '2' : '1');
  if (log.data !== '0x') log.data = change(log.data);
  else log.topics[log.topics.length - 1] = change(log.topics[log.topics.length - 1] as string);
  return JSON.stringify(log);
}
