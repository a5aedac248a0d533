/** Types for wallet proofs. Clients load the signing code with their first call, and only with a wallet: most pages have none. */
import type { OperationSpec } from '@market/contract';
import type { ComposedRequest } from './compose-request.ts';

/** Headers and fields that prove a request's wallet. */
export interface Proof {
  readonly headers: Readonly<Record<string, string>>;
  /** Fields added to the body. */
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

/** Loads the prover on its first use. */
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
