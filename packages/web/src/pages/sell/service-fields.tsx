import { categories } from '@market/contract';
import { RadioRows, SelectField, TextArea, TextField } from '../../ui/index.ts';
import { type Category, categoryWords } from '../../words.ts';
import type { DraftProblems, ServiceDraft } from './service-draft.ts';

export interface DraftFieldsProps {
  readonly draft: ServiceDraft;
  readonly problems: DraftProblems;
  readonly onChange: (part: Partial<ServiceDraft>) => void;
}

const categoryChoices = categories.map((value) => ({ value, label: categoryWords[value] }));

export function TextFields({ draft, problems, onChange }: DraftFieldsProps) {
  return (
    <>
      <TextField
        label="Title"
        hint="What is sold, in 5 to 80 characters."
        value={draft.title}
        onChange={(title) => onChange({ title })}
        maxLength={80}
        required
        error={problems['title']}
      />
      <SelectField
        label="Category"
        value={draft.category}
        choices={categoryChoices}
        onChange={(category) => onChange({ category: category as Category })}
        error={problems['category']}
      />
      <TextArea
        label="Description"
        hint={`What the buyer gets and what not. ${draft.description.trim().length} of 40 to 1000 characters.`}
        value={draft.description}
        onChange={(description) => onChange({ description })}
        rows={6}
        maxLength={1000}
        required
        error={problems['description']}
      />
      <TextArea
        label="What is handed over"
        hint="One thing a line, at most 20."
        value={draft.deliverables}
        onChange={(deliverables) => onChange({ deliverables })}
        rows={3}
        optional
        error={problems['deliverables']}
      />
    </>
  );
}

const priceRows = [
  { value: 'fixed', label: 'One time' },
  { value: 'quote', label: 'Ask for a price' },
  { value: 'weekly', label: 'By the week' },
  { value: 'monthly', label: 'By the month' },
] as const;

const priceLabels = {
  fixed: 'Price in USDC',
  weekly: 'Price in USDC, each week',
  monthly: 'Price in USDC, each month',
  quote: 'Lowest price in USDC',
} as const;

export function PriceFields({ draft, problems, onChange }: DraftFieldsProps) {
  const { priceType } = draft;
  const isSubscription = priceType === 'weekly' || priceType === 'monthly';
  return (
    <>
      <RadioRows
        legend="How it is paid"
        rows={priceRows}
        value={priceType}
        onChange={(value) => onChange({ priceType: value as ServiceDraft['priceType'] })}
        across
      />
      <TextField
        label={priceLabels[priceType]}
        hint={
          priceType === 'quote' ? 'Left empty, buyers see that the price is on request.' : 'What people pay. Your part of it stands beside.'
        }
        value={draft.price}
        onChange={(price) => onChange({ price })}
        inputMode="decimal"
        mono
        placeholder="180.00"
        optional={priceType === 'quote'}
        error={problems['price_usd']}
      />
      {priceType === 'quote' ? null : (
        <TextField
          label={isSubscription ? 'Requests in each period' : 'Requests in a workspace'}
          hint={
            isSubscription
              ? '0: as many as the time allows.'
              : '0: one delivery, no workspace. More: the buyer asks that often and you answer each.'
          }
          value={draft.quota}
          onChange={(quota) => onChange({ quota })}
          inputMode="numeric"
          mono
          error={problems['quota_limit']}
        />
      )}
    </>
  );
}

export function TermFields({ draft, problems, onChange }: DraftFieldsProps) {
  return (
    <>
      <div className="sell-pair">
        <TextField
          label="Hours to deliver"
          hint="From payment on."
          value={draft.hours}
          onChange={(hours) => onChange({ hours })}
          inputMode="numeric"
          mono
          error={problems['turnaround_hours']}
        />
        <TextField
          label="Revisions included"
          hint="0 to 10 rounds."
          value={draft.revisions}
          onChange={(revisions) => onChange({ revisions })}
          inputMode="numeric"
          mono
          error={problems['max_revisions']}
        />
      </div>
      <div className="sell-pair">
        <TextField
          label="Demo"
          value={draft.demoUrl}
          onChange={(demoUrl) => onChange({ demoUrl })}
          type="url"
          inputMode="url"
          placeholder="https://"
          optional
          error={problems['demo_url']}
        />
        <TextField
          label="Model"
          value={draft.model}
          onChange={(model) => onChange({ model })}
          maxLength={60}
          optional
          error={problems['provider_model']}
        />
      </div>
    </>
  );
}
