/** The protocol's codes for a refused payment, and their text for people. */
import type { Refusal } from './facilitator.ts';

const MEANINGS: Readonly<Record<string, string>> = {
  invalid_payload: 'The payment payload is not in the form of the exact scheme. Build it with an x402 client.',
  invalid_network: 'Standard payments are not taken on this network. Choose one of the offered networks.',
  invalid_scheme: 'Only the exact scheme is taken.',
  invalid_payment_requirements: 'The payment is for another token or another recipient than ours.',
  unsupported_payload_type: 'Permit2 payments are not taken. Pay with an EIP-3009 authorisation.',
  invalid_exact_evm_signature: 'The signature is not the payer’s for exactly this authorisation.',
  invalid_exact_evm_recipient_mismatch: 'The authorisation pays somebody else.',
  invalid_exact_evm_payload_authorization_value_mismatch: 'The authorisation is for another amount than the price.',
  invalid_exact_evm_payload_authorization_valid_before: 'The authorisation has expired. Sign a new one.',
  invalid_exact_evm_payload_authorization_valid_after: 'The authorisation is not valid yet.',
  invalid_exact_evm_nonce_already_used: 'The authorisation was used already.',
  invalid_exact_evm_insufficient_balance: 'The payer does not hold enough USDC.',
  invalid_exact_evm_transaction_simulation_failed: 'USDC would refuse this transfer.',
  invalid_exact_evm_transaction_failed: 'The transfer was sent and failed on the chain.',
  eip6492_factory_not_allowed: 'The paying smart wallet is not deployed yet. Deploy it first.',
  invalid_exact_svm_fee_payer_mismatch: 'The transaction names another fee payer than the one we offered.',
  invalid_exact_svm_payload_signature_invalid: 'The transaction is not signed by its payer.',
  invalid_exact_svm_payload_excessive_signers: 'The transaction asks for more than two signatures.',
  invalid_exact_svm_payload_mint_mismatch: 'The transaction moves another token than USDC.',
  invalid_exact_svm_payload_recipient_mismatch: 'The transaction pays somebody else.',
  invalid_exact_svm_payload_amount_mismatch: 'The transaction is for another amount than the price.',
  invalid_exact_svm_payload_transaction_fee_payer_transferring_funds: 'An instruction of the transaction uses our fee payer’s account.',
  invalid_exact_svm_transaction_simulation_failed:
    'The transaction would fail: the balance is too low, or it is too old or was sent already.',
  invalid_exact_svm_transaction_failed: 'The transaction was sent and failed on the chain.',
  invalid_exact_svm_transaction_expired: 'The transaction expired before the chain took it. Sign a new one.',
};

export function refusal(reason: string): Refusal {
  return { reason, message: MEANINGS[reason] ?? `The payment is refused (${reason}).` };
}
