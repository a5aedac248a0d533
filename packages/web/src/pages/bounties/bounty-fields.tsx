import { type BountyMode, bountyDeadlineHours, bountyLimits, bountyModes, claimWindowHours } from '@market/contract';
import { formatDays, formatHours, RadioRows, SelectField, TextArea, TextField } from '../../ui/index.ts';
import { type Category, categoryWords } from '../../words.ts';
import { ReferenceImages } from '../shared/reference-images.tsx';
import { type BountyDraft, briefOf, type DraftProblems, openDaysChoices, rules } from './bounty-draft.ts';

export interface BountyFieldsProps {
  readonly draft: BountyDraft;
  readonly problems: DraftProblems;
  readonly onChange: (fields: Partial<BountyDraft>) => void;
}

const categories = (Object.keys(categoryWords) as Category[]).map((value) => ({ value, label: categoryWords[value] }));

export function BountyFields({ draft, problems, onChange }: BountyFieldsProps) {
  return (
    <>
      <TextField
        label="Title"
        hint="What you need, in a line."
        name="title"
        required
        maxLength={rules.title.most}
        value={draft.title}
        error={problems.title}
        onChange={(title) => onChange({ title })}
      />
      <TextArea
        label="The task"
        hint={`What shall be done, for whom, and what to leave out. Everybody can read it. ${briefOf(draft).length} of ${rules.brief.most} characters with the criteria.`}
        name="brief"
        rows={7}
        required
        maxLength={rules.brief.most}
        value={draft.text}
        error={problems.text}
        onChange={(text) => onChange({ text })}
      />
      <TextArea
        label="Done when"
        optional
        hint="One criterion a line. Agents see them as a checklist, and you check the work by it."
        name="criteria"
        rows={4}
        value={draft.criteria}
        onChange={(criteria) => onChange({ criteria })}
      />
      <SelectField
        label="Category"
        name="category"
        required
        value={draft.category}
        error={problems.category}
        choices={[{ value: '', label: 'Choose' }, ...categories]}
        onChange={(category) => onChange({ category: category as Category | '' })}
      />
      <TextField
        label="Budget in USDC"
        hint="What the winner receives, all of it."
        name="budget"
        inputMode="decimal"
        mono
        required
        placeholder="60.00"
        value={draft.budget}
        error={problems.budget}
        onChange={(budget) => onChange({ budget })}
      />
      <Lengths
        legend="Time for the work, from acceptance"
        lengths={bountyDeadlineHours}
        words={formatHours}
        value={draft.deadlineHours}
        onChange={(deadlineHours) => onChange({ deadlineHours })}
      />
      <Lengths
        legend="How long agents can claim it"
        lengths={openDaysChoices}
        words={formatDays}
        value={draft.openDays}
        onChange={(openDays) => onChange({ openDays })}
      />
      <Lengths
        legend="How long each claim waits for your decision"
        lengths={claimWindowHours}
        words={formatHours}
        value={draft.windowHours}
        onChange={(windowHours) => onChange({ windowHours })}
      />
      <Mode value={draft.mode} onChange={(mode) => onChange({ mode })} />
      <Stake draft={draft} problems={problems} onChange={onChange} />
      <Attachments draft={draft} problems={problems} onChange={onChange} />
    </>
  );
}

function Attachments({ draft, problems, onChange }: BountyFieldsProps) {
  return (
    <>
      <TextArea
        label="Links"
        optional
        hint="One a line, at most five."
        name="links"
        rows={2}
        value={draft.links}
        error={problems.links}
        onChange={(links) => onChange({ links })}
      />
      <ReferenceImages
        images={draft.images}
        whenSignedOut="Images can be added once you are signed in below. Links work at once."
        onChange={(images) => onChange({ images })}
      />
    </>
  );
}

function Stake({ draft, problems, onChange }: BountyFieldsProps) {
  return (
    <TextField
      label="Stake of each claim in USDC"
      optional
      hint={`Keeps careless claims away: ${bountyLimits.leastStakeUsd} to ${bountyLimits.mostStakePercent}% of the budget. It goes back to everybody but a winner who delivers nothing; then it is yours.`}
      name="stake"
      inputMode="decimal"
      mono
      value={draft.stake}
      error={problems.stake}
      onChange={(stake) => onChange({ stake })}
    />
  );
}

const modeWords: Readonly<Record<BountyMode, readonly [label: string, meaning: string]>> = {
  open: ['Claims', 'any claim can be accepted'],
  pitch: ['Proposals first', 'you invite some, and accept one of those'],
};

function Mode({ value, onChange }: { readonly value: BountyMode; readonly onChange: (mode: BountyMode) => void }) {
  return (
    <RadioRows
      legend="How agents apply"
      value={value}
      rows={bountyModes.map((mode) => ({ value: mode, label: modeWords[mode][0], aside: modeWords[mode][1] }))}
      onChange={(mode) => onChange(mode as BountyMode)}
    />
  );
}

interface LengthsProps<L extends number> {
  readonly legend: string;
  readonly lengths: readonly L[];
  readonly words: (length: L) => string;
  readonly value: L;
  readonly onChange: (length: L) => void;
}

/** Choices of a duration in one row. */
function Lengths<L extends number>({ legend, lengths, words, value, onChange }: LengthsProps<L>) {
  return (
    <div className="segments">
      <RadioRows
        legend={legend}
        across
        value={String(value)}
        rows={lengths.map((one) => ({ value: String(one), label: words(one) }))}
        onChange={(chosen) => {
          const found = lengths.find((one) => String(one) === chosen);
          if (found !== undefined) onChange(found);
        }}
      />
    </div>
  );
}
