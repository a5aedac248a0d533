/**
 * Every operation with every proof, through the resolver and the executor of a running market. A call that the authority table permits is
 * let in; any other is refused with 401 or 403. For whom a proof counts is up to handlers, which `test/attacks/authority` tests.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type CredentialKind,
  errorCatalogue,
  isScope,
  MarketError,
  type NamedOperation,
  operationList,
  type Proof,
  permits,
  powerOf,
  proofNames,
  type Scope,
  walletProofs,
} from '@market/contract';
import type { Caller } from '../../packages/server/src/access/caller.ts';
import { openSession } from '../../packages/server/src/access/sessions.ts';
import type { OperationRequest } from '../../packages/server/src/surfaces/operation-request.ts';
import { restBindingOf } from '../../packages/server/src/surfaces/rest-binding.ts';
import { registerAgent, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { requestFor } from '../harness/in-process.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { baseWallet, signed, signedFor, type TestWallet, tokenFor } from '../harness/people.ts';

const SIX_MINUTES = 6 * 60_000;

let market: TestMarket;
let wallet: TestWallet;
let owned: TestAgent;
let unownedKey: string;
let token: string;
let adminToken: string;
let session: string;

before(async () => {
  market = await openMarket({ RATE_LIMIT_SCALE: '100000', JOBS: 'off' });
  wallet = baseWallet();
  owned = await registerOwnedAgent(market.url, baseWallet());
  unownedKey = (await registerAgent(market.url)).key;
  token = await tokenFor(market.url, { email: 'walker@example.com' });
  adminToken = await tokenFor(market.url, { email: 'operator@example.com', admin: true });
  session = (await openSession(market.database.db, { chain: 'base', address: wallet.address }, new Date())).token;
});
after(() => market.close());

/** A signature is dated in milliseconds: two of one millisecond would be identical. */
let lastStamp = 0;
function nextStamp(ageMs = 0): number {
  lastStamp = Math.max(Date.now(), lastStamp + 1);
  return lastStamp - ageMs;
}

type Shown = Pick<OperationRequest, 'resolved'> & { readonly credentials: Partial<OperationRequest['credentials']> };

/** The request with this proof. A proof that is hard to make is replaced by the caller that the resolver would return. */
async function show(proof: Proof, operation: NamedOperation, args: Record<string, unknown>): Promise<Shown> {
  const bearer = (text: string): Shown => ({ credentials: { bearer: text } });
  const as = (caller: Partial<Caller>): Shown => ({ resolved: { byCookieOnly: false, ...caller }, credentials: {} });
  const signer = { chain: 'base', address: wallet.address, signatureAgeMs: 0 } as const;
  switch (proof) {
    case 'signature_in_query':
      return { credentials: { signature: { from: 'query', ...(await signed(wallet, nextStamp())) } } };
    case 'signature':
      return { credentials: { signature: { from: 'body', ...(await signed(wallet, nextStamp(SIX_MINUTES))) } } };
    case 'single_use':
      return { credentials: { signature: { from: 'headers', ...(await signed(wallet, nextStamp())) } } };
    case 'custody': {
      const request = restBindingOf(operation, args) as { method: string; path: string; body: Record<string, unknown> };
      return { credentials: { signature: { from: 'headers', ...(await signedFor(market.url, wallet, request, nextStamp())) } } };
    }
    case 'session':
      return { credentials: { sessionCookie: session } };
    case 'sign_in': {
      // For a grant, move or recovery the sign-in must name the address of the call.
      const { path } = restBindingOf(operation, args) as { path: string };
      return as({ wallet: { ...signer, proof, signInPath: path } });
    }
    case 'action':
      return as({ wallet: { ...signer, proof, action: { action: 'session' } } });
    case 'account':
    case 'linked_wallet':
      return bearer(token);
    case 'admin':
      return bearer(adminToken);
    case 'key':
      return bearer(owned.key);
    case 'key_unowned':
      return bearer(unownedKey);
    case 'read_token':
      return as({ orderId: 'ord_1700000000000_k3v9x1q7a' as NonNullable<Caller['orderId']>, orderReadOnly: true });
    case 'buyer_token':
      return as({ orderId: 'ord_1700000000000_k3v9x1q7a' as NonNullable<Caller['orderId']> });
    case 'operator_key':
      return as({ operatorKey: true });
    default:
      return proof.startsWith('scope_') ? as(programWith(proof.slice('scope_'.length))) : { credentials: {} };
  }
}

/** A program with one scope, connected by an account that chose an agent. */
function programWith(scope: string): Partial<Caller> {
  assert.ok(isScope(scope));
  const agent = {
    id: owned.id,
    name: 'Walker',
    active: true,
    ownerWallet: null,
    recordedOwnerWallet: null,
    ownerUserId: null,
    keyRetired: false,
  };
  return {
    agent: { ...agent, id: owned.id as NonNullable<Caller['agent']>['id'] },
    connection: {
      id: 'conn_1700000000000_k3v9x1q7a',
      programId: 'prog_walker',
      clientName: 'A program',
      person: 'user:usr_walker',
      scopes: [scope],
    },
    user: {
      id: 'usr_walker',
      admin: false,
      wallets: [],
      identity: { userId: 'usr_walker', emailVerified: false, wallets: [], admin: false },
    },
  };
}

const kindOf: Partial<Record<Proof, readonly CredentialKind[]>> = {
  account: ['idp'],
  linked_wallet: ['idp'],
  admin: ['idp', 'admin'],
  key: ['api_key'],
  key_unowned: ['api_key'],
  read_token: ['order_token'],
  buyer_token: ['order_token'],
  operator_key: ['admin_key'],
};

/** These proofs have the same token, so the handler decides for whom it counts. */
const sameCredential: Partial<Record<Proof, readonly Proof[]>> = {
  account: ['account', 'linked_wallet'],
  linked_wallet: ['account', 'linked_wallet'],
  admin: ['account', 'linked_wallet', 'admin'],
};

/** Whether the table permits this proof for this call. */
function isGiven(proof: Proof, { spec }: NamedOperation, args: Record<string, unknown>): boolean {
  const isOpen = spec.access.accepts.includes('anonymous');
  if (proof.startsWith('scope_')) {
    const scopes: readonly Scope[] = spec.connectionScopes ?? spec.mcp?.scopes ?? [];
    // A program acts for the person's account and agent, but not for a wallet, which signs for itself.
    return scopes.includes(proof.slice('scope_'.length) as Scope) && spec.access.accepts.some((kind) => kind !== 'wallet');
  }
  if ((walletProofs as readonly Proof[]).includes(proof)) {
    // Logs keep addresses, so a signature in one only reads by GET.
    if (proof === 'signature_in_query' && (spec.effects.kind !== 'read' || spec.rest.method !== 'GET')) return false;
    const isPermitted = permits(proof, spec, powerOf(spec, args));
    // A cookie that is too weak is ignored. A signature was sent on purpose, so it is refused.
    return isPermitted ? isOpen || spec.access.accepts.includes('wallet') : isOpen && proof === 'session';
  }
  const isPermitted = (sameCredential[proof] ?? [proof]).some((one) => permits(one, spec, powerOf(spec, args)));
  return isOpen || (isPermitted && (kindOf[proof] ?? []).some((kind) => spec.access.accepts.includes(kind)));
}

async function outcomeOf(operation: NamedOperation, proof: Proof): Promise<string> {
  const args = { ...operation.spec.examples[0]?.input };
  const { resolved, credentials } = await show(proof, operation, args);
  const request = requestFor(operation, args, {});
  try {
    await market.executor.open({ ...request, resolved, credentials: { ...request.credentials, ...credentials } });
    return 'let in';
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    const { kind } = errorCatalogue[error.code];
    // A fault of the arguments is reported after the caller was let in. A refused caller first learns whether the record exists.
    return kind === 'bad_request' ? 'let in' : `refused: ${error.code}`;
  }
}

/** Payments are checked elsewhere, and a budget session only narrows a key. */
const walked = proofNames.filter((proof) => !['payment', 'reference', 'bare', 'budget'].includes(proof));

describe('the authority table', () => {
  const groups = Map.groupBy(operationList, ({ group }) => group);
  for (const [group, members] of groups) {
    test(`the authority table holds for ${members.length} operations of ${group} with each of ${walked.length} proofs`, async () => {
      const wrong: string[] = [];
      for (const operation of members) {
        const args = { ...operation.spec.examples[0]?.input };
        for (const proof of walked) {
          const outcome = await outcomeOf(operation, proof);
          const expected = isGiven(proof, operation, args) ? 'let in' : 'refused';
          if (!outcome.startsWith(expected)) wrong.push(`${operation.name} with ${proof}: ${outcome}, but the table says ${expected}`);
        }
      }
      assert.deepEqual(wrong, []);
    });
  }
});
