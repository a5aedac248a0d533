/**
 * Says for each column that can hold text what closing does with it. A test compares this table with the schema, so a new column needs an
 * entry. The SQL of `cleared` and `gone` is in the repositories of this feature; ids are renamed from this table.
 */

/** The ways in which closing treats a column. */
export const treatments = {
  kept: 'Books, states, dates and what is public on chain: ids, addresses of wallets, hashes, names of networks and programs, reasons that the service wrote.',
  account: 'The id of the account becomes that of the closed account.',
  principal: 'The same, written as `user:<id>`.',
  principals: 'A list of these.',
  ids: 'JSON: the same at any depth. Events and stored requests lose their free text besides.',
  cleared: 'What the closed side wrote becomes neutral or empty.',
  gone: 'The row is deleted.',
  expires: 'Deleted by itself within a day or with its session.',
  operators: 'The operators’ log, bans and rulings stay: closing must not undo them.',
  bought: 'What the other side bought or sold stays in its order.',
} as const;

export type Treatment = keyof typeof treatments;

type Columns = Partial<Record<Treatment, string>>;

export const personalColumns: Readonly<Record<string, Columns>> = {
  admin_actions: { operators: 'admin action subject_id reason details' },
  agent_figures: { kept: 'agent_id service_categories provider_models' },
  agent_mints: { kept: 'movement_id agent_id kind state mint sealed_key name symbol uri words', cleared: 'description image_url' },
  agent_movements: { kept: 'id agent_id' },
  agent_payers: { gone: 'agent_id address chain proven_on', principal: 'allowed_by' },
  agent_presence: { gone: 'agent_id' },
  agent_registrations: { kept: 'movement_id agent_id state registry uri onchain_id' },
  agent_wallets: { kept: 'agent_id kind address sealed_key' },
  agents: {
    kept: 'id source partner_badge said_wallet token_mint token_name token_symbol token_image_url moderation_status pending_payout token_mode token_creator_wallet token_tx_hash token_named_by token_words said_pda said_tx_hash erc8004_registry erc8004_agent_id',
    cleared:
      'slug name name_skeleton description avatar_url capabilities ai_models endpoint_url api_key_sealed api_key_last4 webhook_secret_sealed owner_wallet twitter_username payout_wallet payout_chain payout_address_base moderation_reason registration_ip previous_webhook_secret_sealed stops_with',
    account: 'owner_user_id',
    principals: 'created_by',
  },
  banned_identities: { operators: 'kind value reason' },
  bare_presentations: { kept: 'caip2 reference payer subject_id answer_name ended_by' },
  bounties: {
    kept: 'id client_wallet category status order_id accepted_claim_id mode',
    account: 'user_id',
    cleared: 'title brief reference_urls reference_images',
  },
  bounty_claims: { kept: 'id bounty_id agent_id status stake_id', cleared: 'message' },
  bounty_stakes: { kept: 'id claim_id network reference payer status' },
  chain_cursors: { kept: 'caip2 cursor' },
  chain_receipts: { kept: 'caip2 reference network payer finality notes' },
  closing_transactions: { kept: 'writer' },
  connected_programs: { kept: 'id client_id', principal: 'person' },
  connections: {
    kept: 'id wallet_chain proven_on client_id client_name client_uri redirect_host scopes agent_id program_id',
    principal: 'person',
  },
  counted_buyers: { account: 'buyer' },
  counted_orders: { kept: 'order_id agent_id service_id', account: 'buyer' },
  creator_fee_claims: { kept: 'id share agent_id mint', principal: 'created_by' },
  creator_fee_progress: { kept: 'cursor' },
  creator_fee_receipts: { kept: 'reference mint agent_id path' },
  credential_changes: { principal: 'subject' },
  daily_figures: { kept: 'network category kind' },
  data_versions: { kept: 'table_name' },
  delayed_moves: {
    kept: 'id kind agent_id topic state reason result_id place',
    principal: 'owner requested_by',
    cleared: 'summary',
    ids: 'payload',
  },
  deliverables: { kept: 'id order_id media_type upload_id status error', cleared: 'prompt', bought: 'url content' },
  demo_content: { kept: 'sealed_seed' },
  dispute_statements: { kept: 'id dispute_id side', principal: 'author', cleared: 'statement evidence_urls' },
  disputes: { kept: 'id order_id opened_by state ruling', cleared: 'reason', operators: 'ruled_by ruling_reason' },
  earn_agent_deposits: { kept: 'movement_id agent_id vault_key deposit_id state reason' },
  earn_deposits: {
    kept: 'id vault_key owner_kind network reference payer status reason deploy_reference refund_reference',
    account: 'owner_id',
  },
  earn_harvests: { kept: 'vault_key' },
  earn_movements: { kept: 'vault_key owner_kind kind subject_id', account: 'owner_id' },
  earn_parts: { kept: 'id withdrawal_id intent_id payout_id paid_reference' },
  earn_positions: { kept: 'vault_key owner_kind', account: 'owner_id' },
  earn_samples: { kept: 'vault_key' },
  earn_sweeps: { gone: 'agent_id vault_key last_problem', principal: 'set_by' },
  earn_vaults: { kept: 'key venue market network strategy venue_address' },
  earn_withdrawals: { kept: 'id vault_key owner_kind destination status reason', account: 'owner_id' },
  event_counters: { principal: 'reader' },
  event_queue: { kept: 'follower' },
  event_readers: { principal: 'reader' },
  events: { kept: 'type agent_id', account: 'subject_id', ids: 'data context' },
  found_outflows: { kept: 'holder network reference intent_key asset destination taken_by' },
  hidden_portfolio: { gone: 'agent_id source_type source_id' },
  idempotency_keys: { gone: 'scope key sealed_answer' },
  jobs: { kept: 'queue kind unique_key state', ids: 'payload', expires: 'last_error' },
  known_place: { kept: 'place profile' },
  ledger_accounts: { kept: 'kind owner network' },
  ledger_transfers: { kept: 'kind subject_id idempotency_key' },
  message_reads: { kept: 'order_id side' },
  notifications: { kept: 'id wallet agent_id type order_id link collapsed event_ids', account: 'user_id', cleared: 'title body' },
  oauth_clients: { kept: 'id metadata' },
  oauth_records: { expires: 'kind sealed connection_id' },
  oauth_signing_keys: { kept: 'id sealed_key' },
  onchain_feedback: {
    kept: 'file_hash uri review_id order_id agent_id registry agent_registry onchain_id client_wallet state tx_hash',
    cleared: 'file',
  },
  order_messages: { kept: 'id order_id sender_type', cleared: 'sender_id sender_name content', account: 'user_id' },
  order_steps: { kept: 'order_id command from_status to_status actor_role', principal: 'actor', cleared: 'note' },
  order_tokens: { kept: 'order_id holder connection_id' },
  orders: {
    kept: 'id kind service_id bounty_id provider_agent_id client_agent_id client_wallet category price_type status settlement payment_method payment_network payer payment_reference',
    account: 'user_id',
    bought: 'service_title',
    cleared: 'brief reference_urls reference_images requirement_answers',
  },
  outflow_cursors: { kept: 'holder cursor place' },
  outflow_gate: { kept: 'reason' },
  outgoing_attempts: { kept: 'intent_id reference signed_bytes validity state' },
  outgoing_intents: { kept: 'id purpose subject_id network payer destination asset state reason reference parked_for' },
  paused_agents: { gone: 'agent_id endpoint_url' },
  payment_aliases: { kept: 'caip2 alias reference subject_id' },
  payment_claim_moves: { kept: 'caip2 reference from_purpose from_subject_id to_purpose to_subject_id proof' },
  payment_claims: { kept: 'caip2 reference purpose subject_id payer proof' },
  rate_limit_windows: { expires: 'endpoint client' },
  reviews: {
    kept: 'id order_id service_id agent_id payment_network payment_reference onchain_tx_hash',
    cleared: 'reviewer_id reviewer_name comment',
    account: 'user_id',
  },
  saved_searches: { gone: 'id list name filters', principal: 'owner' },
  schema_migrations: { kept: 'name checksum' },
  search_words: { cleared: 'word' },
  seen_signatures: { expires: 'transfer' },
  services: {
    kept: 'id agent_id category price_type moderation_status agent_chain',
    cleared:
      'slug title description deliverables demo_url requirement_fields brief_placeholder review_summary provider_model moderation_reason agent_name previous_terms',
  },
  sessions: { gone: 'wallet chain proven_on' },
  settlements: { kept: 'order_id outcome' },
  spend_approvals: {
    kept: 'id operation provider_agent_id category status spending_id',
    principal: 'principal decided_by',
    cleared: 'about sentence',
    principals: 'asked_of deciders',
  },
  spend_budgets: { kept: 'id', principal: 'owner', cleared: 'label' },
  spend_policies: { gone: 'subject_kind allow_agents block_agents allow_categories block_categories', principal: 'subject_id' },
  spending_subjects: { kept: 'spending_id subject_kind', principal: 'subject_id' },
  spendings: {
    kept: 'id operation reference provider_agent_id category status rule bought_kind bought_id budget_id approval_id',
    principal: 'principal',
    cleared: 'about sentence',
  },
  spent_signatures: { expires: 'wallet' },
  subject_buyers: { kept: 'subject', account: 'buyer' },
  subject_periods: { kept: 'subject', account: 'buyer' },
  swap_orders: { kept: 'id taker receiver venue_request signed_transaction state signature reason', account: 'user_id' },
  token_prices: { kept: 'mint' },
  treasury_readings: { kept: 'network' },
  unbooked_outflows: { kept: 'network reference intent_key destination intent_id' },
  undone_links: { gone: 'user_id chain address' },
  upload_attachments: { kept: 'upload_id', principal: 'subject_id' },
  uploads: {
    kept: 'id storage_key state purpose visibility agent_id wallet content_type media_type sha256 preview_key',
    account: 'user_id',
    cleared: 'file_name',
  },
  user_wallets: { gone: 'id user_id chain address proof proven_on' },
  users: {
    gone: 'id username display_name email google_email google_subject twitter_username twitter_subject avatar_url bio provider_name provider_avatar_url',
  },
  venue_calls: { kept: 'id kind vault_key venue' },
  wallet_log: { kept: 'agent_id action ordered_by network address movement_id' },
  wallet_profiles: { gone: 'wallet display_name bio avatar_url twitter_handle' },
  wallet_proofs: { kept: 'address how' },
  webhook_attempts: { kept: 'agent_id error signature ends_as', cleared: 'url answer' },
  webhook_deliveries: { kept: 'agent_id event order_id', cleared: 'body' },
  webhook_lanes: { kept: 'agent_id' },
  webhook_queue: { gone: 'agent_id' },
  withdraw_addresses: { gone: 'agent_id kind address' },
  x402_payments: {
    kept: 'caip2 alias network state purpose subject_id payload requirement payer transaction signed_bytes reason identifier',
    ids: 'request',
  },
  x402_purchases: { kept: 'caip2 reference subject_id sealed_answer purpose payer' },
};

/** All columns with this treatment. */
export function columnsWith(treatment: Treatment): { readonly table: string; readonly column: string }[] {
  return Object.entries(personalColumns).flatMap(([table, columns]) =>
    (columns[treatment] ?? '')
      .split(' ')
      .filter(Boolean)
      .map((column) => ({ table, column })),
  );
}
