import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { networkName, paymentChains } from '../kernel/networks.ts';
import { walletAddress, walletChain } from '../kernel/wallets.ts';
import { usdAmount } from '../kernel/wire.ts';

const network = z.object({
  network: networkName,
  caip2: z.string(),
  rpc_url: z.string(),
  usdc_address: z.string(),
  treasury: z.string(),
});

const wallet = z.object({
  name: z.string(),
  chain: walletChain,
  address: walletAddress,
  secret_key: z.string().describe('As wallets import it: base58 of 64 bytes for Solana, 0x and 64 hex digits for EVM'),
  networks: z.array(networkName).describe('Where it was funded, with 1,000 USDC and 10 SOL or ETH'),
});

const clockReading = z
  .object({
    now: z.iso.datetime().describe('Time as the service sees it'),
    offset_seconds: z.number().describe('How far the service is ahead of real time'),
  })
  .meta({ id: 'SandboxClock' });

function coinAmount(field: string, decimals: number): z.ZodString {
  return z.string().regex(new RegExp(`^(0|[1-9]\\d{0,6})(\\.\\d{1,${decimals}})?$`), `${field} must be a decimal string such as "25.00".`);
}

const exampleClock = { now: '2026-11-17T09:00:00.000Z', offset_seconds: 172800 };

const venueActions = ['borrow', 'repay', 'accrue_fees', 'traders_win', 'traders_lose', 'pause', 'resume', 'donate'] as const;

const anyone = { accepts: ['anonymous', 'idp', 'wallet', 'api_key'] } as const;

/** Helpers for trying the market out; production has none of them. */
export const sandboxOperations = {
  info: defineOperation({
    summary: 'Describe the sandbox',
    description:
      'Local chains with their addresses, ready wallets with coins on them, and the development identity provider. The keys of the ready wallets are ' +
      'public: anyone with access to this sandbox can read them. They hold only sandbox coins, which are worth nothing. Never send ' +
      'real coins there. Spent coins are not replaced; the faucet sends more.',
    output: {
      data: z.object({
        networks: z.array(network),
        wallets: z.array(wallet).describe('The same at every start; their first coins arrive within seconds of the first one'),
        idp: z.object({ issuer: z.string(), jwks_uri: z.string() }).nullable(),
      }),
    },
    power: 'public',
    access: anyone,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/sandbox/info' },
    sandboxOnly: true,
    examples: [
      {
        title: 'What is here',
        data: {
          networks: [],
          wallets: [
            {
              name: 'Base buyer',
              chain: 'base',
              address: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf',
              secret_key: '0x0000000000000000000000000000000000000000000000000000000000000001',
              networks: ['base-mainnet', 'alt-mainnet'],
            },
          ],
          idp: { issuer: 'http://127.0.0.1:4020/sandbox/oidc', jwks_uri: 'http://127.0.0.1:4020/sandbox/oidc/jwks' },
        },
      },
    ],
  }),

  signIn: defineOperation({
    summary: 'Sign a person in at the development identity provider',
    description: 'Returns a token of the kind a real provider would issue. No password: this is a sandbox.',
    input: {
      body: z.object({
        email: z.email('email must be an e-mail address.').max(200),
        name: z.string().trim().min(1).max(60).optional(),
        twitter_username: z
          .string()
          .regex(/^@?[A-Za-z0-9_]{1,15}$/, 'twitter_username must be an X handle.')
          .optional(),
        wallets: z
          .array(z.object({ chain: walletChain, address: walletAddress }))
          .max(20)
          .optional(),
        admin: z.boolean().optional(),
      }),
    },
    output: { data: z.object({ access_token: z.string(), token_type: z.literal('Bearer'), expires_in: z.int(), user_id: z.string() }) },
    power: 'public',
    access: anyone,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/sandbox/idp/token' },
    sandboxOnly: true,
    examples: [
      {
        title: 'A buyer',
        input: { email: 'ines@example.com', name: 'Ines' },
        data: { access_token: 'eyJhbGciOiJFUzI1NiJ9.…', token_type: 'Bearer', expires_in: 3600, user_id: 'usr_7c1d' },
      },
    ],
  }),

  faucet: defineOperation({
    summary: 'Send sandbox coins to an address',
    description: 'Real transfers on the local chain, worth nothing anywhere else.',
    input: {
      body: z.object({
        network: networkName,
        address: walletAddress,
        usdc: coinAmount('usdc', 6).optional().describe('USDC to send, at most 1,000,000'),
        native: coinAmount('native', 9).optional().describe('SOL or ETH to send, at most 100'),
      }),
    },
    output: {
      data: z.object({
        network: networkName,
        address: z.string(),
        tx_hash: z.string().describe('Transaction of the USDC transfer; without one, of the native transfer'),
        transfers: z
          .array(z.object({ asset: z.enum(['usdc', 'native']), amount: z.string(), tx_hash: z.string() }))
          .describe('One entry per transfer'),
      }),
    },
    errors: ['network_not_available'],
    power: 'public',
    access: anyone,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/sandbox/faucet' },
    sandboxOnly: true,
    examples: [
      {
        title: '25 USDC and gas on Base',
        input: { network: 'base-mainnet', address: '0x857b06519E91e3A54538791bDbb0E22373e36b66', usdc: '25.00', native: '1' },
        data: {
          network: 'base-mainnet',
          address: '0x857b06519E91e3A54538791bDbb0E22373e36b66',
          tx_hash: '0x563c3bf8830293ff10e4ab0da0661792b49b82ad426eed35e9e9645574edb036',
          transfers: [
            { asset: 'usdc', amount: '25.00', tx_hash: '0x563c3bf8830293ff10e4ab0da0661792b49b82ad426eed35e9e9645574edb036' },
            { asset: 'native', amount: '1', tx_hash: '0x2fc3d6eed9ec7101243d38745086a0d677cc1d449c5b864ba6367c9df7185d09' },
          ],
        },
      },
    ],
  }),

  balance: defineOperation({
    summary: 'Read the balances of an address on a local chain',
    input: { query: z.object({ network: networkName, address: walletAddress }) },
    output: {
      data: z.object({
        network: networkName,
        address: z.string(),
        usdc: usdAmount,
        native: z.string().describe('In the chain’s smallest unit'),
      }),
    },
    errors: ['network_not_available', 'chain_unavailable'],
    power: 'public',
    access: anyone,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/sandbox/balance' },
    sandboxOnly: true,
    examples: [
      {
        title: 'After the faucet',
        input: { network: 'base-mainnet', address: '0x857b06519E91e3A54538791bDbb0E22373e36b66' },
        data: {
          network: 'base-mainnet',
          address: '0x857b06519E91e3A54538791bDbb0E22373e36b66',
          usdc: '25.00',
          native: '1000000000000000000',
        },
      },
    ],
  }),

  fault: defineOperation({
    summary: 'Make a local chain misbehave',
    input: {
      body: z.object({
        target: z.enum(paymentChains, `target must be one of: ${paymentChains.join(', ')}.`),
        mode: z.enum(['none', 'slow', 'down', 'drop_tx', 'reorg'], 'mode must be none, slow, down, drop_tx or reorg.'),
        seconds: z.number().positive().max(86_400).optional().describe('How long; until changed without it'),
      }),
    },
    output: { data: z.object({ target: z.string(), mode: z.string() }) },
    errors: ['network_not_available'],
    power: 'public',
    access: anyone,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'POST', path: '/sandbox/fault' },
    sandboxOnly: true,
    examples: [
      { title: 'Base is down for a minute', input: { target: 'base', mode: 'down', seconds: 60 }, data: { target: 'base', mode: 'down' } },
    ],
  }),

  changeVenue: defineOperation({
    summary: 'Change a vault of Earn',
    description:
      'Real transactions on the local chain. borrow and repay take cash out of a vault and bring it back, so that withdrawals wait; in a liquidity pool they open and close positions. ' +
      'accrue_fees, traders_win and traders_lose change the value of a liquidity pool. donate sends USDC without minting. pause and resume move nothing.',
    input: {
      body: z.object({
        key: z.string().min(1).max(80).describe('Key of the vault, such as lend_a:usdc'),
        action: z.enum(venueActions, `action must be one of: ${venueActions.join(', ')}.`),
        usdc: coinAmount('usdc', 6).optional().describe('How much, for every action but pause and resume'),
      }),
    },
    output: { data: z.object({ key: z.string(), action: z.string(), tx_hash: z.string() }) },
    errors: ['network_not_available'],
    power: 'public',
    access: anyone,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/sandbox/earn/venue' },
    sandboxOnly: true,
    examples: [
      {
        title: 'Most of the cash is lent out',
        input: { key: 'lend_a:usdc', action: 'borrow', usdc: '399000' },
        data: {
          key: 'lend_a:usdc',
          action: 'borrow',
          tx_hash: '0x563c3bf8830293ff10e4ab0da0661792b49b82ad426eed35e9e9645574edb036',
        },
      },
    ],
  }),

  clock: defineOperation({
    summary: 'Read the service clock',
    output: { data: clockReading },
    power: 'public',
    access: anyone,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/sandbox/clock' },
    sandboxOnly: true,
    examples: [{ title: 'Two days ahead', data: exampleClock }],
  }),

  advanceClock: defineOperation({
    summary: 'Move the service clock forward',
    description:
      'Deadlines and timers that fall into the skipped time fire at once. Time never moves back. Tokens and signatures keep following real time.',
    input: {
      body: z.object({
        advance_seconds: z
          .int('advance_seconds must be a whole number of seconds.')
          .positive('advance_seconds must be above 0.')
          .max(400 * 86_400, 'advance_seconds must be at most 400 days.'),
      }),
    },
    output: { data: clockReading },
    power: 'public',
    access: anyone,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/sandbox/clock' },
    sandboxOnly: true,
    examples: [{ title: 'Skip the review window', input: { advance_seconds: 172800 }, data: exampleClock }],
  }),
};
