"""Imports every module of this package that registers providers; heavy libraries stay out."""

import rag_query.evaluation.dataset_beir
import rag_query.evaluation.dataset_jsonl
import rag_query.evaluation.dataset_query_log
import rag_query.evaluation.dataset_synthetic
import rag_query.evaluation.evaluator
import rag_query.evaluation.evaluator_deepeval
import rag_query.evaluation.judge_llm
import rag_query.evaluation.judges
import rag_query.evaluation.metric_ragas
import rag_query.evaluation.metrics  # noqa: F401
