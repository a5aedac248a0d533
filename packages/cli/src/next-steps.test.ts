import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarketApiError } from '@market/sdk';
import { nextSteps, type RefusedCall } from './next-steps.ts';

const PAYER = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf';
const OTHER = '0x52908400098527886E0F7030069857D2E4169EE7';
const PAY_URL = `https://market.example/api/payments/prepare?network=base-mainnet&payer=${PAYER}&amount_usd=10.00&reference=mkt_1`;
const NAME_A_WALLET = 'Name the wallet that signs: --wallet and --sign-with (or MARKET_WALLET and MARKET_SIGN_WITH).';

const unproven = {
  payer: PAYER,
  sign: { message: `market:${PAYER}:1700000000000`, headers: { 'X-Market-Wallet': PAYER } },
  pay_url: PAY_URL,
  allow: { message: 'market:…', method: 'POST', url: 'https://market.example/api/agents/ext_1700000000000_k3v9x1q7a/payers', body: {} },
};

function walletOf(address: string): RefusedCall['identity'] {
  return { wallet: { address, signMessage: async () => '' } };
}

function stepsFor(code: string, data?: Record<string, unknown>, call: Partial<RefusedCall> = {}): string[] {
  const refusal = new MarketApiError({ status: 403, code, message: 'Refused.', data });
  return nextSteps(refusal, { accepts: ['api_key', 'idp', 'wallet'], identity: {}, full: false, ...call });
}

test('a refused payment of an unproven wallet prints the payer, how to sign once or allow it for good, and the page to pay again', () => {
  for (const code of ['payment_wrong_payer', 'payment_reserved']) {
    assert.deepEqual(stepsFor(code, unproven), [
      `Paid by ${PAYER}`,
      `Sign once: repeat this with --wallet ${PAYER} --sign-with <command>`,
      `Allow it for good: market wallets allow-payer --id ext_1700000000000_k3v9x1q7a --wallet ${PAYER} --sign-with <command>`,
      `Pay again: ${PAY_URL}`,
    ]);
  }
});

test('a refused payment prints only the steps that its data offers, and no signing step when the payer signs already', () => {
  const { payer, sign } = unproven;
  const once = `Sign once: repeat this with --wallet ${PAYER} --sign-with <command>`;
  assert.deepEqual(stepsFor('payment_reserved', { payer, sign }), [`Paid by ${PAYER}`, once]);
  assert.deepEqual(stepsFor('payment_reserved', { payer, sign }, { identity: walletOf(OTHER) }), [`Paid by ${PAYER}`, once]);
  assert.deepEqual(stepsFor('payment_reserved', { payer, sign }, { identity: walletOf(PAYER.toLowerCase()) }), [`Paid by ${PAYER}`]);
});

test('a payment that needs approval prints the page and the command where the owner decides', () => {
  const url = 'https://market.example/build/spending?approval=apr_1';
  assert.deepEqual(stepsFor('approval_required', { approval_id: 'apr_1', approve_url: url, amount_usd: '1.10' }), [
    `The owner decides: ${url}, or market spending decide --id apr_1 --decision approve`,
  ]);
});

test('a call that needs a wallet prints the settings that name one, unless the right wallet signs already', () => {
  for (const code of ['custody_signature_required', 'sign_in_message_required', 'signature_expired', 'offer_newer_than_payment']) {
    assert.deepEqual(stepsFor(code), [NAME_A_WALLET], code);
    assert.deepEqual(stepsFor(code, undefined, { identity: walletOf(OTHER) }), [], code);
  }
  assert.deepEqual(stepsFor('custody_signature_required', { wallet: '<wallet>', text_to_sign: 'market:…' }), [NAME_A_WALLET]);
  const named = [`Name the wallet that signs: --wallet ${PAYER} and --sign-with (or MARKET_WALLET and MARKET_SIGN_WITH).`];
  assert.deepEqual(stepsFor('owner_proof_required', { wallet: PAYER }), named);
  assert.deepEqual(stepsFor('owner_proof_required', { wallet: PAYER }, { identity: walletOf(OTHER) }), named);
});

test('owner_proof_required without a wallet in its data also offers --token, because an account may own the agent', () => {
  const account = 'Or act as the account that owns it: --token (or MARKET_TOKEN).';
  assert.deepEqual(stepsFor('owner_proof_required'), [NAME_A_WALLET, account]);
  assert.deepEqual(stepsFor('owner_proof_required', undefined, { identity: { accessToken: 'jwt' } }), [NAME_A_WALLET]);
});

test('a call that takes only wallets asks for one after unauthenticated and wrong_credential', () => {
  for (const code of ['unauthenticated', 'wrong_credential']) {
    assert.deepEqual(stepsFor(code, undefined, { accepts: ['wallet'] }), [NAME_A_WALLET]);
    assert.deepEqual(stepsFor(code), []);
  }
});

test('other data of a refusal is printed when short and not printed elsewhere; --full prints all of it', () => {
  const refused = { rule: 'per_order', limit_usd: '25.00' };
  assert.deepEqual(stepsFor('spend_refused', refused), ['data: {"rule":"per_order","limit_usd":"25.00"}']);
  assert.deepEqual(stepsFor('invalid_input', { issues: [{ field: 'name', message: 'Required.' }] }), []);
  assert.deepEqual(stepsFor('agent_not_found', {}), []);
  const long = { reason: 'x'.repeat(300) };
  assert.deepEqual(stepsFor('bounty_text_refused', long), ['Add --full to see the data of this refusal.']);
  assert.deepEqual(stepsFor('bounty_text_refused', long, { full: true }), [`data: ${JSON.stringify(long)}`]);
  assert.equal(stepsFor('payment_wrong_payer', unproven, { full: true }).at(-1), `data: ${JSON.stringify(unproven)}`);
});

test('text of a hostile server never becomes part of a suggested command', () => {
  const hostile = {
    ...unproven,
    payer: `${PAYER}; rm -rf ~`,
    approval_id: '$(reboot)',
    approve_url: 'https://a.example/ && reboot',
    wallet: '`reboot`',
  };
  assert.deepEqual(stepsFor('custody_signature_required', hostile), [NAME_A_WALLET]);
  const allow = { url: 'https://market.example/api/agents/a;reboot/payers' };
  assert.deepEqual(stepsFor('payment_reserved', { payer: PAYER, sign: {}, allow }, { identity: walletOf(PAYER) }), [`Paid by ${PAYER}`]);
});
