/** The questions to buyers: their order, their kind, and whether an answer is required. */
import { Button, CheckField, RadioRows, SelectField, TextArea, TextField } from '../../ui/index.ts';
import { type DraftProblems, moveQuestion, newQuestion, type QuestionDraft, type ServiceDraft } from './service-draft.ts';
import type { DraftFieldsProps } from './service-fields.tsx';

const kindChoices: readonly { readonly value: QuestionDraft['type']; readonly label: string }[] = [
  { value: 'text', label: 'A line of text' },
  { value: 'textarea', label: 'Text' },
  { value: 'url', label: 'A link' },
  { value: 'number', label: 'A number' },
  { value: 'select', label: 'One of the choices' },
];

const MOST = 20;

export function QuestionsEditor({ draft, problems, onChange, isNew }: DraftFieldsProps & { readonly isNew: boolean }) {
  const { questions } = draft;
  const replace = (key: number, part: Partial<QuestionDraft>) =>
    onChange({ questions: questions.map((question) => (question.key === key ? { ...question, ...part } : question)) });
  const choose = (asks: string) =>
    onChange({
      asks: asks as ServiceDraft['asks'],
      ...(asks === 'own' && questions.length === 0 && { questions: [newQuestion(questions)] }),
    });
  return (
    <>
      <RadioRows
        legend="Questions to the buyer"
        value={draft.asks}
        onChange={choose}
        rows={[
          ...(isNew ? [{ value: 'usual', label: 'The usual ones of the category' }] : []),
          { value: 'own', label: 'My own' },
          { value: 'nothing', label: 'None, only the brief' },
        ]}
        across
        error={problems['requirement_fields']}
      />
      {draft.asks !== 'own' ? null : (
        <>
          <ol className="ledger sell-questions">
            {questions.map((question, index) => (
              <li key={question.key}>
                <Question
                  question={question}
                  number={index + 1}
                  problems={problemsAt(problems, index)}
                  onChange={(part) => replace(question.key, part)}
                  onMove={(by) => onChange({ questions: moveQuestion(questions, question.key, by) })}
                  onRemove={() => onChange({ questions: questions.filter(({ key }) => key !== question.key) })}
                />
              </li>
            ))}
          </ol>
          <div>
            <Button
              size="small"
              disabledReason={questions.length >= MOST ? `At most ${MOST} questions.` : undefined}
              onClick={() => onChange({ questions: [...questions, newQuestion(questions)] })}
            >
              Add a question
            </Button>
          </div>
        </>
      )}
    </>
  );
}

function problemsAt(problems: DraftProblems, index: number): DraftProblems {
  const start = `requirement_fields.${index}.`;
  return Object.fromEntries(
    Object.entries(problems)
      .filter(([where]) => where.startsWith(start))
      .map(([where, message]) => [where.slice(start.length), message]),
  );
}

interface QuestionProps {
  readonly question: QuestionDraft;
  readonly number: number;
  readonly problems: DraftProblems;
  readonly onChange: (part: Partial<QuestionDraft>) => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

function Question({ question, number, problems, onChange, onMove, onRemove }: QuestionProps) {
  const name = `question ${number}`;
  return (
    <fieldset className="stack">
      <legend className="visually-hidden">Question {number}</legend>
      <TextField
        label={`Question ${number}`}
        value={question.label}
        onChange={(label) => onChange({ label })}
        maxLength={80}
        error={problems['label']}
      />
      <div className="sell-pair">
        <SelectField
          label="Answered by"
          value={question.type}
          choices={kindChoices}
          onChange={(type) => onChange({ type: type as QuestionDraft['type'] })}
        />
        <TextField
          label="Example"
          hint="Stands in the empty field."
          value={question.placeholder}
          onChange={(placeholder) => onChange({ placeholder })}
          maxLength={200}
          optional
          error={problems['placeholder']}
        />
      </div>
      {question.type === 'select' ? (
        <TextArea
          label="Choices"
          hint="One a line."
          value={question.options}
          onChange={(options) => onChange({ options })}
          rows={3}
          error={problems['options']}
        />
      ) : null}
      <div className="actions">
        <CheckField label="Must be answered" checked={question.required} onChange={(required) => onChange({ required })} />
        <Button size="small" label={`Move ${name} up`} onClick={() => onMove(-1)}>
          Up
        </Button>
        <Button size="small" label={`Move ${name} down`} onClick={() => onMove(1)}>
          Down
        </Button>
        <Button size="small" label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
    </fieldset>
  );
}
