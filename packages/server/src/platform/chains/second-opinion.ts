/** Large payments are believed only when two independent nodes tell the same story. */
import { type Chain, ChainUnavailable, type ReceiptReading } from './chain.ts';

export function withSecondOpinion(chain: Chain, other: Chain, fromMicros: bigint): Chain {
  return {
    ...chain,
    async readReceipt(reference) {
      const reading = await chain.readReceipt(reference);
      if (reading.state !== 'landed' || reading.receipt.receivedMicros < fromMicros) return reading;
      const opinion = await other.readReceipt(reference);
      if (!agree(reading, opinion)) throw new ChainUnavailable(chain.network, `nodes disagree about ${reference}`);
      return reading.receipt.finality === opinion.receipt.finality ? reading : lessFinal(reading, opinion);
    },
  };
}

type Landed = Extract<ReceiptReading, { state: 'landed' }>;

function agree(a: Landed, b: ReceiptReading): b is Landed {
  return b.state === 'landed' && story(a) === story(b);
}

/** Everything but finality, which honest nodes may see at different moments. */
function story({ receipt }: Landed): string {
  const payers = [...receipt.payers].sort((x, y) => (x.address < y.address ? -1 : 1)).map(({ address, micros }) => `${address}:${micros}`);
  return [receipt.reference, receipt.receivedMicros, receipt.blockNumber, receipt.blockTime.toISOString(), ...payers].join('|');
}

const order = ['seen', 'confirmed', 'final'] as const;

function lessFinal(a: Landed, b: Landed): Landed {
  return order.indexOf(a.receipt.finality) < order.indexOf(b.receipt.finality) ? a : b;
}
