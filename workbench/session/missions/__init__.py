"""Missions of the free lab: what a learner is to bring about, judged by what happened and never by what was pressed."""
