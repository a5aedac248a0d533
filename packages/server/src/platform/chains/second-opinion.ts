/**
 * With two independent nodes configured, both must agree where an error costs money. They must agree on large incoming payments, and on
 * transfers that can never land, which are signed again.
 */
import { agreeOnOutcome, keepUnavailable } from './agree-on-outcome.ts';
import { type Chain, ChainUnavailable, type ReceiptReading } from './chain.ts';
import { lessFinal } from './finality.ts';
import { withTwoVenues } from './second-opinion-venues.ts';

export function withSecondOpinion(chain: Chain, other: Chain, fromMicros: bigint): Chain {
  const proveOther = once(() => other.requireIdentity());
  const doubtOther = (error: unknown): never => {
    throw error instanceof ChainUnavailable ? error : new ChainUnavailable(chain.network, 'the second node is of another network', error);
  };
  return {
    ...chain,
    async readReceipt(reference, known) {
      const reading = await chain.readReceipt(reference, known);
      if (reading.state !== 'landed' || reading.receipt.receivedMicros < fromMicros) return reading;
      await proveOther().catch(doubtOther);
      const opinion = await other.readReceipt(reference, { notesKnown: known?.notesKnown === true });
      if (!agree(reading, opinion)) throw new ChainUnavailable(chain.network, `nodes disagree about ${reference}`);
      const finality = lessFinal(reading.receipt.finality, opinion.receipt.finality);
      return { ...reading, receipt: { ...reading.receipt, finality } };
    },
    async readOutcome(transfer, signed) {
      const asked = proveOther()
        .catch(doubtOther)
        .then(() => other.readOutcome(transfer, signed));
      const [outcome, opinion] = await Promise.all([chain.readOutcome(transfer, signed), asked.catch(keepUnavailable)]);
      return agreeOnOutcome(outcome, opinion);
    },
    ...withTwoClocks(chain, other, () => proveOther().catch(doubtOther)),
    ...withTwoLaunchers(chain, other, () => proveOther().catch(doubtOther)),
    ...withTwoRegistrars(chain, other, () => proveOther().catch(doubtOther)),
    ...withTwoVenues(chain, other, () => proveOther().catch(doubtOther), fromMicros),
    async requireIdentity() {
      await chain.requireIdentity();
      // A second node that is down does not block the start: it proves its network before its first answer counts.
      await proveOther().catch(keepUnavailable);
    },
  };
}

/** An authorisation has lapsed only when both nodes say so. */
function withTwoClocks({ isAuthorised }: Chain, { isAuthorised: second }: Chain, prove: () => Promise<void>): Pick<Chain, 'isAuthorised'> {
  if (isAuthorised === undefined || second === undefined) return {};
  return {
    async isAuthorised(transfer, signed) {
      if (await isAuthorised(transfer, signed)) return true;
      await prove();
      return await second(transfer, signed);
    },
  };
}

/** A mint is signed again only when both nodes say that the earlier bytes can never land. */
function withTwoLaunchers({ launcher }: Chain, { launcher: second }: Chain, prove: () => Promise<void>): Pick<Chain, 'launcher'> {
  if (launcher === undefined || second === undefined) return {};
  return {
    launcher: {
      ...launcher,
      async readOutcome(planned, signed) {
        const asked = prove().then(() => second.readOutcome(planned, signed));
        const [outcome, opinion] = await Promise.all([launcher.readOutcome(planned, signed), asked.catch(keepUnavailable)]);
        return agreeOnOutcome(outcome, opinion);
      },
    },
  };
}

/** A registration is signed again only when both nodes say that the earlier bytes can never land. */
function withTwoRegistrars({ registrar }: Chain, { registrar: second }: Chain, prove: () => Promise<void>): Pick<Chain, 'registrar'> {
  if (registrar === undefined || second === undefined) return {};
  return {
    registrar: {
      ...registrar,
      async readOutcome(planned, signed) {
        const asked = prove().then(() => second.readOutcome(planned, signed));
        const [outcome, opinion] = await Promise.all([registrar.readOutcome(planned, signed), asked.catch(keepUnavailable)]);
        return agreeOnOutcome(outcome, opinion);
      },
    },
  };
}

type Landed = Extract<ReceiptReading, { state: 'landed' }>;

function agree(a: Landed, b: ReceiptReading): b is Landed {
  return b.state === 'landed' && story(a) === story(b);
}

/** All fields except finality, which honest nodes may see at different moments. */
function story({ receipt }: Landed): string {
  const payers = [...receipt.payers].sort((x, y) => (x.address < y.address ? -1 : 1)).map(({ address, micros }) => `${address}:${micros}`);
  return [
    receipt.reference,
    receipt.receivedMicros,
    receipt.blockNumber,
    receipt.blockTime.toISOString(),
    ...payers,
    ...receipt.notes,
  ].join('|');
}

/** Repeats the work until it succeeds, then never again. */
function once(work: () => Promise<void>): () => Promise<void> {
  let isDone = false;
  return async () => {
    if (isDone) return;
    await work();
    isDone = true;
  };
}
