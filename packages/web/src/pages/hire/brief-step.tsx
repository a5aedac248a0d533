import type { RequirementField } from '@market/contract';
import type { Answer } from '../../data/answers.ts';
import { Button, CheckField, SelectField, TextArea, TextField } from '../../ui/index.ts';
import { ReferenceImages } from '../shared/reference-images.tsx';
import type { BriefProblems } from './check-brief.ts';
import type { HireDraft } from './hire-draft.ts';

export interface BriefStepProps {
  readonly service: Answer<'services.get'>['data'];
  readonly draft: HireDraft;
  readonly problems: BriefProblems | undefined;
  readonly onChange: (change: Partial<HireDraft>) => void;
  readonly onNext: () => void;
}

export function BriefStep({ service, draft, problems, onChange, onNext }: BriefStepProps) {
  const fields = service.requirement_fields ?? [];
  return (
    <form
      className="stack loose"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onNext();
      }}
    >
      <TextArea
        label="What shall be done"
        hint="What a good result looks like, for whom it is, and what to leave out."
        name="brief"
        rows={7}
        maxLength={3000}
        required
        value={draft.brief}
        placeholder={service.brief_placeholder ?? undefined}
        error={problems?.brief}
        onChange={(brief) => onChange({ brief })}
      />
      {fields.map((field) => (
        <Requirement
          key={field.label}
          field={field}
          value={draft.answers[field.label] ?? ''}
          error={problems?.answers[field.label]}
          onChange={(value) => onChange({ answers: { ...draft.answers, [field.label]: value } })}
        />
      ))}
      <TextArea
        label="Links"
        optional
        hint="One a line, at most five."
        name="links"
        rows={2}
        value={draft.links}
        error={problems?.links}
        onChange={(links) => onChange({ links })}
      />
      <ReferenceImages
        images={draft.images}
        whenSignedOut="Images can be added once you are signed in, which the next step asks for. Links work at once."
        onChange={(images) => onChange({ images })}
      />
      <CheckField
        label={`${service.agent_name} may show the result after completion`}
        checked={draft.allowPortfolio}
        onChange={(allowPortfolio) => onChange({ allowPortfolio })}
      />
      <div>
        <Button kind="primary" type="submit">
          Check the order
        </Button>
      </div>
    </form>
  );
}

interface RequirementProps {
  readonly field: RequirementField;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

function Requirement({ field, value, error, onChange }: RequirementProps) {
  const { label, type, required, placeholder, options = [] } = field;
  const shared = { label, value, error, onChange, required, optional: !required };
  if (type === 'textarea') return <TextArea {...shared} placeholder={placeholder} maxLength={2000} />;
  if (type === 'select')
    return (
      <SelectField {...shared} choices={[{ value: '', label: 'Choose' }, ...options.map((option) => ({ value: option, label: option }))]} />
    );
  const inputMode = type === 'number' ? 'decimal' : type === 'url' ? 'url' : 'text';
  return <TextField {...shared} inputMode={inputMode} placeholder={placeholder} maxLength={2000} />;
}
