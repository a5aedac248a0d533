/** Facts about views that PostgreSQL does not report: nullable columns, and the values that a column can have. */
const states = ['queued', 'signed', 'sent', 'unknown', 'confirmed'];

interface View {
  readonly nullable: readonly string[];
  readonly choices: Readonly<Record<string, readonly string[]>>;
}

export const views: Readonly<Record<string, View>> = {
  payouts: {
    nullable: ['reason', 'reference', 'parked_for'],
    choices: {
      purpose: ['payout', 'refund', 'surplus', 'withdrawal', 'earn_refund', 'earn_withdrawal'],
      state: [...states, 'parked', 'void'],
    },
  },
  wallet_movements: {
    nullable: ['reason', 'reference', 'fronted_native'],
    choices: {
      purpose: ['send', 'withdraw', 'token_launch', 'said_identity', 'agent_registration', 'earn_deposit'],
      asset: ['usdc', 'native'],
      state: [...states, 'failed'],
    },
  },
  creator_fee_payouts: {
    nullable: ['agent_id', 'mint', 'network_fee_lamports', 'reason', 'reference', 'paid_at'],
    choices: { share: ['agent', 'partner', 'buyback'], state: [...states, 'failed'] },
  },
  earn_intents: {
    nullable: ['assets', 'units', 'min_out', 'reason', 'reference', 'result_assets', 'result_units', 'queue_number'],
    choices: { kind: ['deposit', 'redeem', 'allow'], state: [...states, 'failed'] },
  },
};
