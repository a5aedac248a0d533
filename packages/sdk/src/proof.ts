/** How a call proves its wallet. Signing itself is loaded with the first call of a client that has a wallet: most pages have none. */
import type { OperationSpec } from '@market/contract';
import type { ComposedRequest } from './compose-request.ts';

/** What a request carries to prove its wallet. */
export interface Proof {
  readonly headers: Readonly<Record<string, string>>;
  /** Join the body. */
  readonly fields?: Readonly<Record<string, string>>;
}

export interface ProvenCall {
  readonly spec: OperationSpec;
  readonly args: Readonly<Record<string, unknown>>;
  readonly request: ComposedRequest;
  /** The caller's choice. */
  readonly proof?: 'custody' | 'ordinary' | undefined;
}

export type Prove = () => Promise<Proof>;

export interface Prover {
  prove(call: ProvenCall): Promise<Proof>;
  /** The proof that this refusal asks for, if the wallet can give it and the refused call did not have it. */
  answer(refusal: unknown, call: ProvenCall): Promise<Prove | undefined>;
}

export const NO_PROOF: Proof = { headers: {} };

export const withoutWallet: Prover = {
  async prove({ proof }) {
    if (proof !== undefined) throw new TypeError('A proof needs a wallet. Pass one to createMarketClient.');
    return NO_PROOF;
  },
  answer: async () => undefined,
};

/** Loads the prover when it is first asked. */
export function loadProver(load: () => Promise<Prover>): Prover {
  let loading: Promise<Prover> | undefined;
  const open = (): Promise<Prover> => {
    loading ??= load();
    return loading;
  };
  return {
    prove: async (call) => await (await open()).prove(call),
    answer: async (refusal, call) => await (await open()).answer(refusal, call),
  };
}
