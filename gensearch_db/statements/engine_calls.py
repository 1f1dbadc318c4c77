"""The frames between a user and DuckDB, in a module that names nothing a user might.

DuckDB looks for ``FROM df`` among the variables of its Python callers, nearest frame first, locals before globals. Every frame
of ours that is on the stack then would hide a DataFrame of the same name. Hence no imports here but one, names that nobody
else uses, and types in the stub beside this file.
"""

from functools import wraps as _gensearch_wraps


class EngineCalls:
    """What a :class:`~gensearch_db.statements.connection.Connection` does on DuckDB's connection, ``engine``.

    The class below gives ``_steps`` (the statements of a script, or None if DuckDB is to run it as it stands), ``_answer_to``
    and ``carry_out``.
    """

    def sql(_gensearch_self, *_gensearch_arguments, **_gensearch_options):  # noqa: N805
        """Run a script and give its last statement's rows as a relation (None where DuckDB gives none).

        Arguments are those of DuckDB's ``sql``. Raises :class:`QueryError` for what cannot be read, before anything ran;
        DuckDB's own errors pass through.
        """
        _gensearch_steps = _gensearch_self._steps(_gensearch_arguments, _gensearch_options)
        if _gensearch_steps is None:
            return _gensearch_self.engine.sql(*_gensearch_arguments, **_gensearch_options)
        _gensearch_self._run_before_last(_gensearch_steps)
        if _gensearch_steps[-1].own is None:
            return _gensearch_self.engine.sql(_gensearch_steps[-1].text)
        return _gensearch_self.engine.from_arrow(_gensearch_self._answer_to(_gensearch_steps[-1].own))

    query = sql

    def execute(_gensearch_self, *_gensearch_arguments, **_gensearch_options):  # noqa: N805
        """Run a script; ``fetchall()``, ``df()`` and their like then give its last statement's rows.

        Arguments are those of DuckDB's ``execute``. Raises as :meth:`sql` does.
        """
        _gensearch_steps = _gensearch_self._steps(_gensearch_arguments, _gensearch_options)
        _gensearch_self._forget_answer()
        if _gensearch_steps is None:
            _gensearch_self.engine.execute(*_gensearch_arguments, **_gensearch_options)
            return _gensearch_self
        _gensearch_self._run_before_last(_gensearch_steps)
        if _gensearch_steps[-1].own is None:
            _gensearch_self.engine.execute(_gensearch_steps[-1].text)
            return _gensearch_self
        return _gensearch_self.carry_out(_gensearch_steps[-1].own)

    def _run_before_last(_gensearch_self, _gensearch_steps):  # noqa: N805
        for _gensearch_step in _gensearch_steps[:-1]:
            if _gensearch_step.own is None:
                _gensearch_self.engine.execute(_gensearch_step.text).fetchall()
            else:
                _gensearch_self._answer_to(_gensearch_step.own)

    def _delegate(_gensearch_self, _gensearch_found):  # noqa: N805
        """A method of DuckDB's connection that gives this connection wherever DuckDB's gives itself."""

        @_gensearch_wraps(_gensearch_found)
        def _gensearch_method(*_gensearch_arguments, **_gensearch_options):
            _gensearch_result = _gensearch_found(*_gensearch_arguments, **_gensearch_options)
            return _gensearch_self if _gensearch_result is _gensearch_self.engine else _gensearch_result

        return _gensearch_method
