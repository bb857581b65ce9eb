import { proofSection, readProof } from '#libs/pipeline/projections/blocks/proof-section.js';
import { journals } from '#libs/pipeline/projections/registry.js';
import { readSections, type SectionedKind, sectionsOf } from '#libs/pipeline/projections/sections.js';
import type { BlockProof } from '#libs/protocol/blocks.js';
import { PlaceReader } from '#libs/protocol/codec/place-reader.js';
import type { FactsHead } from '#libs/protocol/facts.js';
import { RowBuffer } from '../row-buffer.js';
import { compileRows } from './compiled-rows.js';
import { type TableBatch, tableBatches } from './table-batch.js';

/**
 * Encoded facts groups as table rows, from bytes to bytes: ids and amounts are copied and never become strings and bigints.
 * Invariant: the batches are those of `encodeTables` for the decoded groups, byte for byte.
 */
export class FactsRows {
  private readonly tables = new Map<string, { buffer: RowBuffer; rows: number }>();
  private readonly place = new Uint8Array(24);

  /** Takes the rows of one group. Throws UndecodableError, and then none of the batches may be used. */
  add(encoded: Uint8Array): FactsHead {
    const input = new PlaceReader(encoded, 'facts');
    const { kind, chain, epoch, seq, height, hash, parentHash, time, inputHash } = input.header;
    const envelope = { chain, epoch, seq, height, hash, parentHash, time, inputHash: inputHash ?? '' };
    switch (kind) {
      case 'epoch':
        return { kind, ...envelope };
      case 'finalize': {
        const finalizedHeight = input.varint();
        input.expectEnd();
        return { kind, ...envelope, finalizedHeight };
      }
      case 'retract': {
        const fromSeq = input.varuint();
        this.setPlace(seq, height, time);
        const proof = this.addSections(input, kind);
        input.expectEnd();
        return this.addHead({ kind, ...envelope, fromSeq, ...proof });
      }
      case 'block': {
        this.setPlace(seq, height, time);
        const proof = this.addSections(input, kind);
        input.expectEnd();
        return this.addHead({ kind, ...envelope, ...proof });
      }
    }
  }

  /** The rows of every table so far, in the order of the journals. */
  batches(): TableBatch[] {
    return tableBatches(this.tables);
  }

  private addHead(head: FactsHead): FactsHead {
    for (const journal of headJournals) {
      if (journal.writtenFrom !== head.kind) continue;
      const row = this.rows(journal.name, 1);
      row.place(this.place);
      for (const { from, type } of journal.columns) {
        const value = (head as unknown as Record<string, unknown>)[from];
        if (type === 'id' && typeof value === 'string') row.hex(value);
        else if (type === 'uint64' && typeof value === 'number') row.uint64(value);
        else if (type === 'word' && typeof (value ?? '') === 'string') row.text((value as string | undefined) ?? '');
        else throw new Error(`no column ${journal.name} of type ${type} from ${from}`);
      }
    }
    return head;
  }

  /** Answers what the sections say for the head. */
  private addSections(input: PlaceReader, kind: SectionedKind): { proof?: BlockProof } {
    const said: { proof?: BlockProof } = {};
    readSections(input, kind, (section) => {
      if (section === proofSection) {
        said.proof = readProof(input);
        return 1;
      }
      // Facts of an older form are served and never written to tables of this version.
      const { table, write } = writers.get(section) ?? { table: '', write: compileRows(section, null) };
      return write(input, (rows) => this.rows(table, rows), this.place);
    });
    return said;
  }

  /** The buffer of a table, for some more rows. */
  private rows(table: string, count: number): RowBuffer {
    let entry = this.tables.get(table);
    if (entry === undefined) {
      entry = { buffer: new RowBuffer(), rows: 0 };
      this.tables.set(table, entry);
    }
    entry.rows += count;
    return entry.buffer;
  }

  private setPlace(seq: number, height: number, time: number): void {
    const row = new RowBuffer(24);
    row.uint64(seq);
    row.uint64(height);
    row.int64(time);
    this.place.set(row.take());
  }
}

const headJournals = journals.filter(({ writtenFrom }) => typeof writtenFrom === 'string');

/** By section; shared by all, for they hold rows only during one call. */
const writers = new Map(
  [...new Set([...sectionsOf.block, ...sectionsOf.retract])].flatMap((section) => {
    if (section === proofSection) return [];
    const journal = journals.find(({ writtenFrom }) => writtenFrom === section);
    const write = compileRows(section, journal?.columns ?? null);
    return [[section, { table: journal?.name ?? '', write }] as const];
  }),
);
